import type { Suite } from './suite.ts'
import bft from './suites/bft.ts'
import cli from './suites/cli.ts'
import credentials from './suites/credentials.ts'
import rlp from './suites/ethereum-tests-rlp.ts'
import genesis from './suites/genesis.ts'
import recordedCli from './suites/recorded-cli.ts'

/** Every suite that has a runner. */
export const SUITES: readonly Suite[] = [bft, cli, credentials, rlp, genesis, recordedCli]
