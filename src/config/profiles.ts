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
  // Implied by --network=mainnet.
  'mainnet-network': `
engine-rpc-enabled=true
discovery-dns-url="enrtree://AKA3AM6LPBYEUDMVNU3BSVQJ5AD45Y7YPOHJLEF6W26QOE4VTUDPE@all.mainnet.ethdisco.net"
bootnodes=[
  "enode://d860a01f9722d78051619d1e2351aba3f43f943f6f00718d1b9baa4101932a1f5011f16bb2b1bb35db20d6fe28fa0bf09636d26a87d31de9ec6203eeedb1f666@18.138.108.67:30303",
  "enode://22a8232c3abc76a16ae9d6c3b164f98775fe226f0917b0ca871128a74a8e9630b458460865bab457221f1d448dd9791d24c4e5d88786180ac185df813a68d4de@3.209.45.79:30303",
  "enode://2b252ab6a1d0f971d9722cb839a42cb81db019ba44c08754628ab4a823487071b5695317c8ccd085219c3a03af063495b2f1da8d18218da2d6a82981b45e6ffc@65.108.70.101:30303",
  "enode://4aeb4ab6c14b23e2c4cfdce879c04b0748a20d8e9b59e25ded2a08143e265c6c25936e74cbc8e641e3312ca288673d91f2f93f8e277de3cfa444ecdaaf982052@157.90.35.166:30303",
]`,
  // Implied by --network=sepolia.
  'sepolia-network': `
engine-rpc-enabled=true
discovery-dns-url="enrtree://AKA3AM6LPBYEUDMVNU3BSVQJ5AD45Y7YPOHJLEF6W26QOE4VTUDPE@all.sepolia.ethdisco.net"
bootnodes=[
  "enode://4e5e92199ee224a01932a377160aa432f31d0b351f84ab413a8e0a42f4f36476f8fb1cbe914af0d9aef0d51665c214cf653c651c4bbd9d5550a934f241f1682b@138.197.51.181:30303",
  "enode://143e11fb766781d22d92a2e33f8f104cddae4411a122295ed1fdb6638de96a6ce65f5b7c964ba3763bba27961738fef7d3ecc739268f3e5e771fb4c87b6234ba@146.190.1.103:30303",
  "enode://8b61dc2d06c3f96fddcbebb0efb29d60d3598650275dc469c22229d3e5620369b0d3dedafd929835fe7f489618f19f456fe7c0df572bf2d914a9f4e006f783a9@170.64.250.88:30303",
  "enode://10d62eff032205fcef19497f35ca8477bea0eadfff6d769a147e895d8b2b8f8ae6341630c645c30f5df6e67547c03494ced3d9c5764e8622a26587b083b028e8@139.59.49.206:30303",
  "enode://9e9492e2e8836114cc75f5b929784f4f46c324ad01daf87d956f98b3b6c5fcba95524d6e5cf9861dc96a2c8a171ea7105bb554a197455058de185fa870970c7c@138.68.123.152:30303",
]`,
  // Implied by --network=hoodi.
  'hoodi-network': `
engine-rpc-enabled=true
discovery-dns-url="enrtree://AKA3AM6LPBYEUDMVNU3BSVQJ5AD45Y7YPOHJLEF6W26QOE4VTUDPE@all.hoodi.ethdisco.net"
bootnodes=[
  "enode://2112dd3839dd752813d4df7f40936f06829fc54c0e051a93967c26e5f5d27d99d886b57b4ffcc3c475e930ec9e79c56ef1dbb7d86ca5ee83a9d2ccf36e5c240c@134.209.138.84:30303",
  "enode://60203fcb3524e07c5df60a14ae1c9c5b24023ea5d47463dfae051d2c9f3219f309657537576090ca0ae641f73d419f53d8e8000d7a464319d4784acd7d2abc41@209.38.124.160:30303",
  "enode://8ae4a48101b2299597341263da0deb47cc38aa4d3ef4b7430b897d49bfa10eb1ccfe1655679b1ed46928ef177fbf21b86837bd724400196c508427a6f41602cd@134.199.184.23:30303",
]`,
  // Implied by --network=ephemery.
  'ephemery-network': `
engine-rpc-enabled=true
bootnodes=[
  "enode://50a54ecbd2175497640bcf46a25bbe9bb4fae51d7cc2a29ef4947a7ee17496cf39a699b7fe6b703ed0feb9dbaae7e44fc3827fcb7435ca9ac6de4daa4d983b3d@137.74.203.240:30303",
  "enode://7367578e9d211512a59e2cdd2c600b8bb71199421aac9d4b0b26050098d551575684314ca8bf226930568e29507c45de1ee00ae1ca70c544b9ba8250ce1d66e1@167.235.1.185:30343",
]`,
}

const SYNONYMS: Readonly<Record<string, string>> = { private: 'enterprise' }

export const PROFILE_NAMES = [...Object.keys(BUILT_IN), ...Object.keys(SYNONYMS)].sort()

/** The TOML text of a built-in profile; names are case-insensitive and `_` is `-`. */
export function builtInProfile(name: string): string | undefined {
  const canonical = name.toLowerCase().replaceAll('_', '-')
  return BUILT_IN[SYNONYMS[canonical] ?? canonical] ?? BROUGHT[canonical]
}
