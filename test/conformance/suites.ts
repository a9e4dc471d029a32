import type { Suite } from './suite.ts'
import bft from './suites/bft.ts'
import chains from './suites/chains.ts'
import cli from './suites/cli.ts'
import credentials from './suites/credentials.ts'
import engine from './suites/engine.ts'
import ethereumBasic from './suites/ethereum-tests-basic.ts'
import ethereumGenesis from './suites/ethereum-tests-genesis.ts'
import keystore from './suites/ethereum-tests-keystore.ts'
import rlp from './suites/ethereum-tests-rlp.ts'
import transactions from './suites/ethereum-tests-transactions.ts'
import trie from './suites/ethereum-tests-trie.ts'
import executionApis from './suites/execution-apis.ts'
import genesis from './suites/genesis.ts'
import p2p from './suites/p2p.ts'
import permissioning from './suites/permissioning.ts'
import recordedAuth from './suites/recorded-auth.ts'
import recordedCli from './suites/recorded-cli.ts'
import recordedEnv from './suites/recorded-env.ts'
import recordedEnvelope from './suites/recorded-envelope.ts'
import recordedFrozen from './suites/recorded-frozen.ts'
import { goquorumWire } from './suites/recorded-goquorum.ts'
import recordedPerm from './suites/recorded-perm.ts'
import { recordedReplay } from './suites/recorded-replay.ts'
import recordedSubscriptions from './suites/recorded-subscriptions.ts'
import recordedTransactions from './suites/recorded-transactions.ts'
import recordedTxpool from './suites/recorded-txpool.ts'
import { ibft2Wire, qbftWire } from './suites/recorded-wire.ts'
import { RPC_SPEC_SUITES } from './suites/rpc-spec.ts'
import eestBlockchain from './suites/state-tests-blockchain.ts'
import eestState from './suites/state-tests-eest.ts'
import generalState from './suites/state-tests-general.ts'
import regressions from './suites/state-tests-regressions.ts'
import { WAITING_SUITES } from './waiting.ts'

/** Every suite that has a runner. */
export const PLAYED: readonly Suite[] = [
  bft,
  chains,
  cli,
  credentials,
  engine,
  ethereumBasic,
  ethereumGenesis,
  keystore,
  rlp,
  transactions,
  trie,
  genesis,
  p2p,
  permissioning,
  recordedAuth,
  recordedCli,
  recordedEnv,
  recordedEnvelope,
  recordedFrozen,
  recordedPerm,
  recordedSubscriptions,
  recordedTransactions,
  recordedTxpool,
  qbftWire,
  ibft2Wire,
  goquorumWire,
  recordedReplay,
  ...RPC_SPEC_SUITES,
  executionApis,
  eestBlockchain,
  eestState,
  generalState,
  regressions,
]

/** All suites, including the folders without a runner. */
export const SUITES: readonly Suite[] = [...PLAYED, ...WAITING_SUITES]
