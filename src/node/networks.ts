import type { NETWORKS } from './options.ts'

type NetworkName = (typeof NETWORKS)[number]

/** The ids of the public networks; DEV alone has a network id that is not its chain id. */
export const NETWORK_IDS: Readonly<Record<NetworkName, bigint>> = {
  MAINNET: 1n,
  SEPOLIA: 11155111n,
  HOLESKY: 17000n,
  HOODI: 560048n,
  EPHEMERY: 39438135n,
  LINEA_MAINNET: 59144n,
  LINEA_SEPOLIA: 59141n,
  LUKSO: 42n,
  DEV: 2018n,
  FUTURE_EIPS: 2022n,
  EXPERIMENTAL_EIPS: 2023n,
}
