"""What a robot knows of its base: pose and velocity from encoders, an IMU and the load of its feet."""
