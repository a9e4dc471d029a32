import { OptionIndex } from '#config/command-line.ts'
import { interpret } from '#config/settings.ts'
import { fromToml } from '#config/sources.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import type { FuzzTarget } from './target.ts'

const index = new OptionIndex(ALL_OPTIONS)
const SEEDS = [
  'rpc-http-port=8545\nrpc-http-api=["ETH","NET"]\ndata-path="~/data"\n',
  '# comment\n[TxPool]\ntx-pool-max-prioritized-by-type=["BLOB=10","FRONTIER=100"]\nmin-gas-price=1000\n',
  'bonsai-trie-logs-pruning-window-size=100_000\nestimate-gas-tolerance-ratio=0.02\nhost-allowlist=["*"]\n',
  'genesis-file = """\n/a/b"""\nnetwork-id = 0x1F\np2p-enabled=false\n',
]

const target: FuzzTarget = {
  name: 'toml',
  seeds: () => SEEDS.map((text) => new TextEncoder().encode(text)),
  run(input) {
    const text = new TextDecoder().decode(input)
    for (const given of fromToml(text, index, { source: 'config file', name: 'fuzz.toml' }).given)
      interpret(given)
  },
}

export default target
