"""The files of a sweep's folder: parts of several forms, and one file over them all."""
