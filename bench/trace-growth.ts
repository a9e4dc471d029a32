/** The cost of trace_filter for one address with 20 calls, in chains of several lengths. */
import { call, extend, LOGGER, openTestChain, silentLog, testGenesis } from '#chain/chain.fixture.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { LOCAL_CALL, startDispatcher, textOf } from '../test/acceptance/conversations/in-process.ts'

const HITS = 20
const WARM_UPS = 50
const CALLS = 200

/** Returns microseconds of CPU time for each length. */
export async function measureGrowth(lengths: readonly number[]): Promise<number[]> {
  const micros: number[] = []
  for (const length of lengths) micros.push(await measureLength(length))
  return micros
}

async function measureLength(length: number): Promise<number> {
  const folder = createTemporaryDirectory('cairn-bench-')
  const engine = await chooseEngine(process.env.CAIRN_ENGINE, silentLog)
  const chain = await openTestChain({ engine }, await openLevelKv(folder.path, { createIfMissing: true }))
  for (let number = 1; number <= length; number++) {
    const isHit = number % Math.floor(length / HITS) === 0
    await extend(chain, [isHit ? call(number - 1, LOGGER) : call(number - 1)])
  }
  const dispatcher = startDispatcher(['--rpc-max-trace-filter-range=0'], {
    chain,
    genesis: testGenesis(),
    engine,
  })
  const filter = { fromBlock: '0x1', toBlock: 'latest', toAddress: [LOGGER] }
  const body = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'trace_filter', params: [filter] }),
  )
  const ask = async (): Promise<string> => await textOf(await dispatcher.dispatch(body, LOCAL_CALL))
  const { result } = JSON.parse(await ask())
  if (result?.length !== HITS) throw new Error(`${result?.length} calls were found instead of ${HITS}`)
  for (let count = 0; count < WARM_UPS; count++) await ask()
  const start = process.cpuUsage()
  for (let count = 0; count < CALLS; count++) await ask()
  const { user, system } = process.cpuUsage(start)
  await chain.store.close()
  folder.remove()
  return (user + system) / CALLS
}
