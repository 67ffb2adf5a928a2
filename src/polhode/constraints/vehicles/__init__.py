"""What steers and rolls: relations between the joints of a vehicle."""
