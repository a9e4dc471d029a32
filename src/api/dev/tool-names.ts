/** The names that viem's test client calls in its modes hardhat and ganache; the name of the mode anvil is the method's own. */
export function toolNames(operation: string): readonly string[] {
  return [`hardhat_${operation}`, `ganache_${operation}`]
}
