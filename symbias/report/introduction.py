"""What stands before the real data: where it comes from, and the derivation in short."""

from symbias.data import load_diabetes

#: Each line at most 78 characters, in the letters of a terminal.
DERIVATION = (
    "Why (symbias derive NETWORK shows every step with its proof):",
    "M(x) = sum_j (S x)_j u_1j (x) .. (x) u_Lj, so eta_l = U_l^T v_l obeys",
    "d eta_l/dt = -(S X^T r) prod_{k != l} eta_k; from eta_l = a (l < L), eta_L = 0",
    "it is eta_l = a p(s), eta_L = a q(s), with p' = p^(L-2) q, q' = p^(L-1),",
    "p^2 - q^2 = 1 and s = a^(L-2) (S X^T nu)_j. So rho_j = a_j^L h_L(s_j),",
    "grad Q(rho) = S X^T nu, and beta = S^T rho is the minimiser of Q among the",
    "beta with X beta = y.",
)


def origin() -> str:
    """The sentence that says what the real data is."""
    return f"Real data: {load_diabetes().origin}."
