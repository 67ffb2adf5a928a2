"""Supports: contacts that can open, slip, stick and strike."""
