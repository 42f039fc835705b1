"""What is written out before anything is read: includes, attached models, replicas."""
