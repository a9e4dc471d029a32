/** Validator networks run by the real program. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Address, parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { formatQuantity } from '#types/hex.ts'
import { cairn, temporaryDirectory } from './program.ts'
import { openRpcClient } from './rpc-client.ts'
import { type RunningNode, startNode } from './running-node.ts'

const PERIOD_MS = 60

export interface ValidatorNetwork {
  readonly folder: string
  readonly data: string
  readonly args: readonly string[]
  readonly validator: Address
}

interface GenesisSettings {
  readonly requestTimeoutSeconds?: number | undefined
  readonly forks?: Readonly<Record<string, number>> | undefined
  /** In seconds. Validators make no block and change no round before it. */
  readonly timestamp?: number | undefined
}

/** A network of one validator, as an operator creates it. */
export function makeNetwork(
  context: Pick<TestContext, 'after'>,
  protocol: BftProtocol,
  alloc: Readonly<Record<string, object>> = {},
  periodMs = PERIOD_MS,
): ValidatorNetwork {
  return makeValidators(context, protocol, 1, alloc, periodMs)[0]!
}

/** A network of several validators, with a directory for each. */
export function makeValidators(
  context: Pick<TestContext, 'after'>,
  protocol: BftProtocol,
  count: number,
  alloc: Readonly<Record<string, object>> = {},
  periodMs = PERIOD_MS,
  { requestTimeoutSeconds = count === 1 ? 1 : 4, forks = {}, timestamp = 0 }: GenesisSettings = {},
): readonly ValidatorNetwork[] {
  const cwd = temporaryDirectory(context)
  // With whole seconds, as in real networks, a block is due by its parent's time; otherwise a period after its parent
  // arrived.
  const isWhole = periodMs % 1_000 === 0
  const bft = {
    blockperiodseconds: isWhole ? periodMs / 1_000 : 1,
    ...(!isWhole && { xblockperiodmilliseconds: periodMs }),
    requesttimeoutseconds: requestTimeoutSeconds,
  }
  const genesis = {
    config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, ...forks, [protocol]: bft },
    timestamp: formatQuantity(BigInt(timestamp)),
    gasLimit: '0x1fffffffffffff',
    difficulty: '0x1',
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    alloc,
  }
  const blockchain = { nodes: { generate: true, count } }
  writeFileSync(join(cwd, 'config.json'), JSON.stringify({ genesis, blockchain }))
  const made = cairn(
    ['operator', 'generate-blockchain-config', '--config-file=config.json', '--to=network'],
    { cwd },
  )
  assert.equal(made.code, 0, made.stderr)
  const folder = join(cwd, 'network')
  return readdirSync(join(folder, 'keys')).map((name) => {
    const data = join(cwd, `data-${name}`)
    mkdirSync(data)
    return {
      folder,
      data,
      validator: parseAddress(name),
      args: [
        `--genesis-file=${join(folder, 'genesis.json')}`,
        `--node-private-key-file=${join(folder, 'keys', name, 'key.priv')}`,
        '--rpc-http-enabled',
        '--rpc-engine-threads=0',
        '--rpc-http-api=ETH,BFT,DEBUG,ADMIN,NET',
        '--discovery-enabled=false',
        '--metrics-enabled',
      ],
    }
  })
}

export async function start(context: TestContext, { args, data }: ValidatorNetwork): Promise<RunningNode> {
  const node = await startNode(args, data)
  context.after(() => node.kill())
  return node
}

/** Waits until the node has made `count` new blocks, and returns the last number. */
export async function moreBlocks(node: RunningNode, count: number): Promise<number> {
  const client = openRpcClient(node.http)
  const headNumber = async () => Number((await client.call('eth_blockNumber')).result)
  try {
    const before = await headNumber()
    for (;;) {
      const head = await headNumber()
      if (head >= before + count) return head
    }
  } finally {
    client.close()
  }
}
