/**
 * The queries of Besu's public overview dashboard (Grafana 10273, and the one of its quickstart). The dashboard itself is
 * Besu's.
 */
export interface OverviewPanel {
  readonly panel: string
  readonly asks: readonly string[]
  /** What it shows to an operator. */
  readonly here: string
  readonly isEmpty?: true
}

const WORKS = 'works'

export const BESU_OVERVIEW: readonly OverviewPanel[] = [
  { panel: 'Height', asks: ['ethereum_blockchain_height'], here: WORKS },
  { panel: 'Target, blocks behind', asks: ['ethereum_best_known_block_number'], here: WORKS },
  {
    panel: 'Total difficulty',
    asks: ['besu_blockchain_difficulty_total'],
    here: 'works; Besu renamed it in 24.12, and Cairn serves both names',
  },
  { panel: 'Block time', asks: ['ethereum_blockchain_height'], here: WORKS },
  { panel: 'Time since the last block', asks: ['besu_blockchain_chain_head_timestamp'], here: WORKS },
  { panel: 'Peers, and their share', asks: ['ethereum_peer_count', 'ethereum_peer_limit'], here: WORKS },
  { panel: 'CPU', asks: ['process_cpu_seconds_total'], here: WORKS },
  {
    panel: 'Memory used',
    asks: ['jvm_memory_bytes_used'],
    here: 'empty: there is no Java virtual machine; query `process_resident_memory_bytes`',
    isEmpty: true,
  },
  {
    panel: 'GC time',
    asks: ['jvm_gc_collection_seconds_sum'],
    here: 'empty: there is no Java virtual machine; query `nodejs_gc_duration_seconds_sum`',
    isEmpty: true,
  },
]
