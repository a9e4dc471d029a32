import { CommandNetwork } from '../test/support/command-network.ts'

/** Passes the files of a network of four validators to `use`, then stops the network and removes them. */
export async function withNetwork<Result>(
  program: string | undefined,
  use: (network: CommandNetwork) => Result | Promise<Result>,
): Promise<Result> {
  using ends = new DisposableStack()
  const after = (end: () => void): void => ends.defer(end)
  return await use(new CommandNetwork({ ...(program !== undefined && { program }), after }))
}
