/** The client of main-turns.test.ts, on its own thread, so its work does not count as the main thread's. */
import { request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { CONTRACTS } from '#api/contracts.ts'
import { METHODS } from '#api/methods.generated.ts'
import { pluginMethod } from '#api/registry/plugin-method.ts'
import { largestInputs, type Params } from './largest-inputs.ts'

export interface ClientOrder {
  readonly port: number
  /** CPU milliseconds of the main thread's longest turn since the client last set it to 0. */
  readonly meter: Float64Array
}

export interface MeasuredMethod {
  readonly method: string
  readonly inputs: number
  /** The best try of the worst input. */
  readonly cpuMs: number
  readonly worst: string
  readonly answer: string
}

/** Garbage collection and compilation disturb some tries; a slow input affects all of them. */
const TRIES = 6
/** A turn below this is not measured again. */
const ENOUGH_MS = 4
const INPUTS_MAX = 40
/** Fewer inputs for methods that do not involve the main thread. */
const UNREACHED_INPUTS_MAX = 4
const REQUEST_MS = 10_000

/** Servers use these of main, although the method itself does not. */
const INDIRECT: readonly string[] = ['intake', 'subscriptions']

/** Undoes a change before the next try, which would otherwise be refused. */
const UNDOING: Readonly<Record<string, string>> = {
  perm_addAccountsToAllowlist: 'perm_removeAccountsFromAllowlist',
  perm_removeAccountsFromAllowlist: 'perm_addAccountsToAllowlist',
  perm_addNodesToAllowlist: 'perm_removeNodesFromAllowlist',
  perm_removeNodesFromAllowlist: 'perm_addNodesToAllowlist',
}

const { port, meter } = workerData as ClientOrder
const PLUGIN = pluginMethod({
  name: 'echo_take',
  summary: '',
  params: [['what', 'json']],
  deadlineMs: 1,
} as never)

for (const method of [...METHODS, PLUGIN]) {
  const reachesMain = method.needs.some((need) => Object.hasOwn(CONTRACTS, need) || INDIRECT.includes(need))
  let inputs = 0
  let row: MeasuredMethod = { method: method.name, inputs, cpuMs: -1, worst: '', answer: '' }
  for (const params of largestInputs(method)) {
    if (inputs === (reachesMain ? INPUTS_MAX : UNREACHED_INPUTS_MAX)) break
    inputs++
    const { cpuMs, answer } = await measure(method.name, params)
    if (cpuMs > row.cpuMs) row = { ...row, cpuMs, worst: describe(params), answer }
  }
  parentPort!.postMessage({ ...row, inputs } satisfies MeasuredMethod)
}
parentPort!.postMessage('done')

async function measure(method: string, params: Params): Promise<{ cpuMs: number; answer: string }> {
  const bodyOf = (name: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params })
  const undoing = UNDOING[method]
  let cpuMs = Number.POSITIVE_INFINITY
  let answer = ''
  for (let attempt = 0; attempt < TRIES && cpuMs > ENOUGH_MS; attempt++) {
    if (attempt > 0 && undoing !== undefined) await ask(bodyOf(undoing))
    const body = bodyOf(method)
    meter[0] = 0
    answer = (await ask(body)).slice(0, 120)
    // Work after the answer counts as well.
    await new Promise((resolve) => setTimeout(resolve, 5))
    cpuMs = Math.min(cpuMs, meter[0])
  }
  return { cpuMs, answer }
}

function ask(body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
    let text = ''
    response.on('data', (chunk) => (text = (text + chunk).slice(0, 1_000)))
    response.on('end', () => resolve(text))
  })
  sent.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ECONNRESET' ? resolve('reset') : reject(error),
  )
  sent.setTimeout(REQUEST_MS, () => sent.destroy(Object.assign(new Error('late'), { code: 'ECONNRESET' })))
  sent.end(body)
  return promise
}

function describe(params: Params): string {
  const text = JSON.stringify(params)
  return `${text.length} characters, ${text.slice(0, 80)}`
}
