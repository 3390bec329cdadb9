"""Student models: prerequisite graphs of skills, learned from the answers of students to items."""
