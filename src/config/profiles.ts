/** Besu's presets as TOML, so they are read like a file. */
const BUILT_IN: Readonly<Record<string, string>> = {
  dev: 'network="DEV"',
  enterprise: `
sync-mode="FULL"
data-storage-format="FOREST"
sync-min-peers=1
remote-connections-limit-enabled=false
tx-pool="SEQUENCED"
tx-pool-no-local-priority=true
tx-pool-limit-by-account-percentage=0.15
rpc-http-max-active-connections=300
min-gas-price=0
bonsai-limit-trie-logs-enabled=false`,
  'minimalist-staker': `
sync-mode="SNAP"
data-storage-format="BONSAI"
max-peers=25`,
  performance: `
Xplugin-rocksdb-high-spec-enabled=true
bonsai-parallel-tx-processing-enabled=true`,
  'performance-rpc': `
Xplugin-rocksdb-high-spec-enabled=true
cache-last-blocks=2048`,
  staker: 'network="MAINNET"',
}

/** Implied by an option's value. They are not Besu presets, and their names are not shown. */
const BROUGHT: Readonly<Record<string, string>> = {
  // Implied by --network=dev.
  'dev-network': `
rpc-http-enabled=true
rpc-http-api=["ETH","NET","WEB3","TXPOOL","DEBUG","TRACE","MINER"]
rpc-http-cors-origins=["all"]
rpc-http-max-active-connections=1000
rpc-threads=0
rpc-ws-enabled=true
rpc-ws-max-active-connections=1000
console-enabled=true
rpc-ws-api=["ETH","NET","WEB3","TXPOOL","DEBUG","TRACE","MINER"]
revert-reason-enabled=true
data-storage-format="FOREST"
min-gas-price=0
p2p-enabled=false`,
}

const SYNONYMS: Readonly<Record<string, string>> = { private: 'enterprise' }

export const PROFILE_NAMES = [...Object.keys(BUILT_IN), ...Object.keys(SYNONYMS)].sort()

/** The TOML text of a built-in profile; names are case-insensitive and `_` is `-`. */
export function builtInProfile(name: string): string | undefined {
  const canonical = name.toLowerCase().replaceAll('_', '-')
  return BUILT_IN[SYNONYMS[canonical] ?? canonical] ?? BROUGHT[canonical]
}
