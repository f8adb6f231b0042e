"""Which way a KL anchor points, and anchors against replay: exact small problems on a handful of answers.

The learner is a row of logits, π = softmax(z); the reference is the model before training. The forward anchor is
KL(ref ‖ π), the reverse anchor KL(π ‖ ref). `distributions` comes first; `directions`, `alternation`, `optima`,
`noise` and `simplex` answer one question each; `experiments` sets closed forms beside descent, for
`forgetting.verdicts` to judge.
"""
