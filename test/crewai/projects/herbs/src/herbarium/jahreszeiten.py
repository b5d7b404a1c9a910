"""What the crew imports as if its folder were the current one."""

JAHRESZEIT = "Frühling 🌱"
