"""The publications behind the statements, as BibTeX: one entry a key."""

from symbias.errors import BadInput

ENTRIES = {
    "yun2021": """@inproceedings{yun2021,
  title     = {A Unifying View on Implicit Bias in Training Linear Neural Networks},
  author    = {Yun, Chulhee and Krishnan, Shankar and Mobahi, Hossein},
  booktitle = {International Conference on Learning Representations},
  year      = {2021},
  note      = {arXiv:2010.02501}
}""",
    "woodworth2020": """@inproceedings{woodworth2020,
  title     = {Kernel and Rich Regimes in Overparametrized Models},
  author    = {Woodworth, Blake and Gunasekar, Suriya and Lee, Jason D. and Moroshko, Edward and Savarese, Pedro
               and Golan, Itay and Soudry, Daniel and Srebro, Nathan},
  booktitle = {Conference on Learning Theory},
  year      = {2020}
}""",
    "arora2019": """@inproceedings{arora2019,
  title     = {Implicit Regularization in Deep Matrix Factorization},
  author    = {Arora, Sanjeev and Cohen, Nadav and Hu, Wei and Luo, Yuping},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2019}
}""",
    "chizat2019": """@inproceedings{chizat2019,
  title     = {On Lazy Training in Differentiable Programming},
  author    = {Chizat, L{\\'e}na{\\"\\i}c and Oyallon, Edouard and Bach, Francis},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2019}
}""",
    "soudry2018": """@article{soudry2018,
  title   = {The Implicit Bias of Gradient Descent on Separable Data},
  author  = {Soudry, Daniel and Hoffer, Elad and Nacson, Mor Shpigel and Gunasekar, Suriya and Srebro, Nathan},
  journal = {Journal of Machine Learning Research},
  year    = {2018}
}""",
    "ji2020": """@inproceedings{ji2020,
  title     = {Directional Convergence and Alignment in Deep Learning},
  author    = {Ji, Ziwei and Telgarsky, Matus},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2020}
}""",
    "lim2005": """@inproceedings{lim2005,
  title     = {Singular Values and Eigenvalues of Tensors: A Variational Approach},
  author    = {Lim, Lek-Heng},
  booktitle = {IEEE International Workshop on Computational Advances in Multi-Sensor Adaptive Processing},
  year      = {2005}
}""",
    "symbias": """@software{symbias,
  title  = {symbias: where gradient flow ends on linear networks, derived and proved},
  author = {{The symbias developers}},
  year   = {2026}
}""",
}


def bibtex(keys) -> str:
    """Return the BibTeX entries of ``keys``, each once, in order."""
    unknown = [key for key in keys if key not in ENTRIES]
    if unknown:
        raise BadInput(f"no publication has the key {unknown[0]!r}; there are {', '.join(ENTRIES)}")
    return "\n\n".join(ENTRIES[key] for key in dict.fromkeys(keys))
