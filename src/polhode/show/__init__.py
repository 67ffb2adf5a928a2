"""Pictures; no physics is decided here."""
