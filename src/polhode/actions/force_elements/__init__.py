"""Springs, dampers, motors and transmissions: between points, and along joints."""
