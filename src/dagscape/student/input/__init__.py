"""What student models are learned from: answers and Q-matrices."""
