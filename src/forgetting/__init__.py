"""A paper that rebuilds itself: what makes a model forget when it is trained on, and can it be predicted?"""
