"""Force fields: curl, work, flux, the gravity of masses; quadrature over regions."""
