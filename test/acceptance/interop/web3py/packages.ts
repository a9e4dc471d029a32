/** Python packages for scripts/python-programs.ts. */
export const WEB3_PY = ['web3==8.0.0'] as const
