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
  // Implied by --network=hoodi.
  'hoodi-network': `
engine-rpc-enabled=true
discovery-dns-url="enrtree://AKA3AM6LPBYEUDMVNU3BSVQJ5AD45Y7YPOHJLEF6W26QOE4VTUDPE@all.hoodi.ethdisco.net"
bootnodes=[
  "enode://2112dd3839dd752813d4df7f40936f06829fc54c0e051a93967c26e5f5d27d99d886b57b4ffcc3c475e930ec9e79c56ef1dbb7d86ca5ee83a9d2ccf36e5c240c@134.209.138.84:30303",
  "enode://60203fcb3524e07c5df60a14ae1c9c5b24023ea5d47463dfae051d2c9f3219f309657537576090ca0ae641f73d419f53d8e8000d7a464319d4784acd7d2abc41@209.38.124.160:30303",
  "enode://8ae4a48101b2299597341263da0deb47cc38aa4d3ef4b7430b897d49bfa10eb1ccfe1655679b1ed46928ef177fbf21b86837bd724400196c508427a6f41602cd@134.199.184.23:30303",
]`,
}

const SYNONYMS: Readonly<Record<string, string>> = { private: 'enterprise' }

export const PROFILE_NAMES = [...Object.keys(BUILT_IN), ...Object.keys(SYNONYMS)].sort()

/** The TOML text of a built-in profile; names are case-insensitive and `_` is `-`. */
export function builtInProfile(name: string): string | undefined {
  const canonical = name.toLowerCase().replaceAll('_', '-')
  return BUILT_IN[SYNONYMS[canonical] ?? canonical] ?? BROUGHT[canonical]
}
