"""Devices of robots: actuators and sensors."""
