"""What a run leaves: trajectories, motions of bodies, checkpoints, exports."""
