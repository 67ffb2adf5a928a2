"""Bodies drawn without a display: scenes, snapshots, films."""
