"""Exercises that check themselves: `judge.check("1.1", answer)` says whether an answer is right, or
shows where it goes wrong. Each chapter's judges stand in a file of its subject.
"""
