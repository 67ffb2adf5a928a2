"""What several formulations share: charts, speeds, Jacobians, spatial algebra."""
