"""Models with supports: contacts that open, slip, stick and strike."""
