"""How one body may move on another: joints, one a file, all asked the same questions.

`Joint` (joint.py) is the contract; `ALL_JOINTS` (registry.py) lists the kinds.
"""
