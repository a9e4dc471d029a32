/**
 * For each alert: series that make it fire, and similar series that must not. All series belong to one node, one
 * sample per minute.
 */

type Series = Readonly<Record<string, string>>

export interface AlertCase {
  readonly fires: Series
  readonly quiet: Series
  /** The time at which both are evaluated. */
  readonly at: string
  /** Labels of the alert in addition to the node's labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** The nodes that the summary lists after the validator's address. */
  readonly named?: string
}

const VALIDATOR = '0x1111111111111111111111111111111111111111'
const validator = { cairn_consensus_is_validator: '1x120' }
const others = { cairn_consensus_validators: '4x120', cairn_consensus_quorum: '3x120' }
const silent = `cairn_consensus_silent_seconds{validator="${VALIDATOR}"}`
const contradiction = `cairn_consensus_equivocations_total{validator="${VALIDATOR}"}`
const blocksCome = { ethereum_blockchain_height: '0+30x120' }
const noBlocks = { ethereum_blockchain_height: '500x120' }

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  CairnNodeDown: { fires: { up: '1x5 0x20' }, quiet: { up: '1x5 0 1x20' }, at: '8m' },
  CairnRestarts: {
    fires: { process_start_time_seconds: '100x3 200x3 300x3 400x20' },
    quiet: { process_start_time_seconds: '100x3 200x3 300x20' },
    at: '15m',
  },
  CairnChainStalled: {
    fires: { cairn_consensus_stalled_seconds: '0x5 60+60x20' },
    quiet: { cairn_consensus_stalled_seconds: '0x5 60 0x20' },
    at: '8m',
  },
  CairnHeadOld: {
    fires: { cairn_blockchain_chain_head_timestamp: '0x30', cairn_consensus_is_validator: '0x30' },
    quiet: { cairn_blockchain_chain_head_timestamp: '0+60x30', cairn_consensus_is_validator: '0x30' },
    at: '10m',
  },
  CairnValidatorsBelowQuorum: {
    fires: { cairn_consensus_connected_validators: '2x30', ...others, ...validator },
    // A node that is not a validator need not know all of them.
    quiet: { cairn_consensus_connected_validators: '2x30', ...others, cairn_consensus_is_validator: '0x30' },
    at: '5m',
  },
  CairnNoSpareValidator: {
    fires: { cairn_consensus_connected_validators: '3x30', ...others, ...validator },
    quiet: { cairn_consensus_connected_validators: '4x30', ...others, ...validator },
    at: '10m',
  },
  CairnValidatorSilent: {
    // The node with this validator's key was scraped until it went down.
    fires: {
      [silent]: '0+60x30',
      ethereum_blockchain_height: '0+1x30',
      [`cairn_consensus_identity{validator="${VALIDATOR}"}`]: '1x2 stale',
    },
    named: 'node:9545',
    // No validator sends messages while the chain is stalled.
    quiet: { [silent]: '0+60x30', ...noBlocks },
    at: '10m',
    labels: { validator: VALIDATOR },
  },
  CairnValidatorProposesNothing: {
    fires: { ...validator, cairn_consensus_own_blocks_total: '7x120', ...others, ...blocksCome },
    quiet: { ...validator, cairn_consensus_own_blocks_total: '0+7x120', ...others, ...blocksCome },
    at: '60m',
  },
  CairnValidatorAbstains: {
    fires: { cairn_consensus_abstaining: '1x30' },
    quiet: { cairn_consensus_abstaining: '1x3 0x30' },
    at: '10m',
  },
  CairnEquivocation: {
    // The first equivocation creates the series.
    fires: { [contradiction]: '_x10 1x120' },
    quiet: { [contradiction]: '1x120' },
    at: '65m',
    labels: { validator: VALIDATOR },
  },
  CairnRoundChanges: {
    fires: { cairn_consensus_round_changes_total: '0+1x120' },
    quiet: { cairn_consensus_round_changes_total: '0x20 1x20 2x120' },
    at: '30m',
  },
  CairnNoPeers: {
    fires: { ethereum_peer_count: '0x30', cairn_consensus_validators: '4x30' },
    // The only validator of its network.
    quiet: { ethereum_peer_count: '0x30', cairn_consensus_validators: '1x30' },
    at: '10m',
  },
  CairnSyncStuck: {
    fires: { cairn_synchronizer_in_sync: '0x60', ...noBlocks },
    quiet: { cairn_synchronizer_in_sync: '0x60', ...blocksCome },
    at: '20m',
  },
  CairnClockWrong: {
    fires: { process_clock_seconds: '-3+60x30', cairn_consensus_clock_ahead_seconds: '0x30' },
    quiet: { process_clock_seconds: '1+60x30', cairn_consensus_clock_ahead_seconds: '1x30' },
    at: '10m',
  },
  CairnDiskAlmostFull: {
    fires: { cairn_database_free_bytes: '1000000000x30' },
    quiet: { cairn_database_free_bytes: '3000000000x30' },
    at: '10m',
  },
  CairnDiskFills: {
    // 10 MB and 1 MB a minute: 43 and 4 GB in three days.
    fires: { cairn_database_free_bytes: '30000000000-10000000x80' },
    quiet: { cairn_database_free_bytes: '30000000000-1000000x80' },
    at: '70m',
  },
  CairnMemoryHigh: {
    fires: { process_resident_memory_bytes: '950x30', process_memory_limit_bytes: '1000x30' },
    quiet: { process_resident_memory_bytes: '850x30', process_memory_limit_bytes: '1000x30' },
    at: '10m',
  },
  CairnFilesHigh: {
    fires: { process_open_fds: '950x30', process_max_fds: '1000x30' },
    quiet: { process_open_fds: '850x30', process_max_fds: '1000x30' },
    at: '10m',
  },
  CairnPoolFull: {
    fires: { cairn_transaction_pool_transactions: '4000x30', cairn_transaction_pool_limit: '4096x30' },
    quiet: { cairn_transaction_pool_transactions: '3000x30', cairn_transaction_pool_limit: '4096x30' },
    at: '10m',
  },
  CairnRpcErrors: {
    fires: { 'cairn_rpc_errors_total{method="eth_call",error="TIMEOUT_ERROR"}': '0+60x30' },
    // An error that the caller caused.
    quiet: { 'cairn_rpc_errors_total{method="eth_call",error="INVALID_PARAMS"}': '0+60x30' },
    at: '15m',
  },
  CairnFailedLogins: {
    fires: { 'cairn_rpc_failed_logins_total{reason="wrong password"}': '0+120x30' },
    quiet: { 'cairn_rpc_failed_logins_total{reason="wrong password"}': '0+5x30' },
    at: '15m',
  },
  CairnPluginDown: {
    fires: { 'cairn_plugins_up{plugin="sink"}': '0x30' },
    quiet: { 'cairn_plugins_up{plugin="sink"}': '0 1x30' },
    at: '10m',
    labels: { plugin: 'sink' },
  },
}
