import type { Suite } from './suite.ts'
import bft from './suites/bft.ts'
import cli from './suites/cli.ts'
import credentials from './suites/credentials.ts'
import rlp from './suites/ethereum-tests-rlp.ts'
import genesis from './suites/genesis.ts'
import recordedAuth from './suites/recorded-auth.ts'
import recordedCli from './suites/recorded-cli.ts'
import recordedEnvelope from './suites/recorded-envelope.ts'

/** Every suite that has a runner. */
export const SUITES: readonly Suite[] = [
  bft,
  cli,
  credentials,
  rlp,
  genesis,
  recordedAuth,
  recordedCli,
  recordedEnvelope,
]
