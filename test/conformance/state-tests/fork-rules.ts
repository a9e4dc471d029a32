// The rules that a test names: 'Cancun', 'EIP158', 'OsakaToBPO1AtTime15k'.
import { type Rules, rulesAt } from '#evm/rules.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'

const FORKS: Readonly<Record<string, string>> = {
  Frontier: '',
  Homestead: 'homesteadBlock',
  EIP150: 'eip150Block',
  EIP158: 'eip158Block',
  Byzantium: 'byzantiumBlock',
  Constantinople: 'constantinopleBlock',
  ConstantinopleFix: 'petersburgBlock',
  Istanbul: 'istanbulBlock',
  Berlin: 'berlinBlock',
  London: 'londonBlock',
  Paris: 'mergeNetSplitBlock',
  Merge: 'mergeNetSplitBlock',
  Shanghai: 'shanghaiTime',
  Cancun: 'cancunTime',
  Prague: 'pragueTime',
  Osaka: 'osakaTime',
  BPO1: 'bpo1Time',
  BPO2: 'bpo2Time',
  BPO3: 'bpo3Time',
  BPO4: 'bpo4Time',
}

export interface JsonBlobs {
  readonly target: string
  readonly max: string
  readonly baseFeeUpdateFraction: string
}

const configs = new Map<string, GenesisConfig>()

/** The rules of a fork without its own schedule, for chain 1. */
export function rulesOf(fork: string): Rules {
  return rulesAt(configOf(fork), { number: 1n, timestamp: 1n, difficulty: 0n })
}

/** `blobs` contains the test's own blob schedule by fork name, if it has one. */
export function configOf(network: string, blobs: Readonly<Record<string, JsonBlobs>> = {}): GenesisConfig {
  const key = `${network} ${JSON.stringify(blobs)}`
  const known = configs.get(key)
  if (known !== undefined) return known
  const config = readConfig(network, blobs)
  configs.set(key, config)
  return config
}

function readConfig(network: string, blobs: Readonly<Record<string, JsonBlobs>>): GenesisConfig {
  const [, before, after, time] = /^(\w+)To(\w+)AtTime(\d+)k$/.exec(network) ?? []
  const schedule = before === undefined ? { [network]: 0 } : { [before]: 0, [after!]: Number(time) * 1000 }
  const forks = Object.entries(schedule).map(([name, from]) => {
    const fork = FORKS[name]
    if (fork === undefined) throw new Error(`no fork is named ${name}`)
    return [fork, from] as const
  })
  const blobSchedule = Object.entries(blobs).map(([fork, values]) => [
    fork.toLowerCase(),
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])),
  ])
  const verdict = parseGenesis(
    JSON.stringify({
      config: {
        chainId: 1,
        ethash: {},
        ...Object.fromEntries(forks.filter(([fork]) => fork !== '')),
        blobSchedule: Object.fromEntries(blobSchedule),
      },
      difficulty: '0x0',
      gasLimit: '0x1',
    }),
  )
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return verdict.genesis.config
}
