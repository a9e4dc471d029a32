/**
 * Plugins and peers over real sockets: two validators whose keys plugins hold, one of them over HTTP, both needed for
 * every block; and nodes whose plugins decide which peers may connect.
 */
import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { EmbeddedNode, NodeOptions } from '#node/create-node.ts'
import { sign } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { makeValidators, type ValidatorNetwork } from '../../support/validator-network.ts'
import { embedPeer } from './embedded-peer.ts'
import { until } from './plugin-bodies.ts'

const TIMEOUT = { timeout: 120_000 }
const PERIOD_MS = 200
const REMOTE_SIGNER = fileURLToPath(new URL('../../../examples/plugins/remote-signer.ts', import.meta.url))

async function ask<T>(node: EmbeddedNode, method: string, ...params: unknown[]): Promise<T> {
  return (await node.provider.request({ method, params })) as T
}

const headOf = async (node: EmbeddedNode) => Number(await ask(node, 'eth_blockNumber'))
const idOf = async (node: EmbeddedNode) => (await ask<{ id: string }>(node, 'admin_nodeInfo')).id
const peersOf = async (node: EmbeddedNode) =>
  (await ask<readonly { id: string }[]>(node, 'admin_peers')).map(({ id }) => id.replace(/^0x/, ''))

async function connect(from: EmbeddedNode, to: EmbeddedNode): Promise<void> {
  await ask(from, 'admin_addPeer', await ask(to, 'net_enode'))
}

function writePlugin(t: TestContext, name: string, body: string, head = ''): string {
  const file = join(temporaryDirectory(t), `${name}.ts`)
  writeFileSync(
    file,
    `import { definePlugin } from 'cairn-node/plugin'\n${head}\nexport default definePlugin({ name: '${name}', version: '1.0.0', ${body} })\n`,
  )
  return file
}

async function startNode(
  running: EmbeddedNode[],
  { folder, data }: ValidatorNetwork,
  options: NonNullable<NodeOptions['options']>,
  dataPath = data,
): Promise<EmbeddedNode> {
  const node = await embedPeer({ folder, data: dataPath }, options)
  running.push(node)
  return node
}

function keyOf({ folder, validator }: ValidatorNetwork): Uint8Array {
  return parseData(readFileSync(join(folder, 'keys', validator, 'key.priv'), 'utf8').trim())
}

/** Holds the key, counts signing requests, and records events. */
function vaultOf(t: TestContext, key: Uint8Array): string {
  return writePlugin(
    t,
    'vault',
    `signer: {
      publicKey: () => pair.getPublicKey().subarray(1),
      sign: (digest) => { asked.sign++; const signed = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' }); return Uint8Array.of(...signed.subarray(1), signed[0]) },
      ecdh: (publicKey) => { asked.ecdh++; return pair.computeSecret(Buffer.concat([Buffer.of(4), publicKey])) },
    },
    on: { peers: (change) => void peers.push(change), round: (event) => void rounds.push(event) },
    methods: { told: { summary: 'What it heard.', run: () => ({ asked, peers, rounds }) } }`,
    `import { createECDH } from 'node:crypto'
import { secp256k1 } from ${JSON.stringify(import.meta.resolve('@noble/curves/secp256k1.js'))}
const asked = { sign: 0, ecdh: 0 }, peers = [], rounds = []
const key = Buffer.from('${formatData(key).slice(2)}', 'hex')
const pair = createECDH('secp256k1')
pair.setPrivateKey(key)`,
  )
}

/** A signer as in examples/plugins/remote-signer.md; returns its address and the number of requests by kind. */
async function serveSigner(t: TestContext, key: Uint8Array) {
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(key)
  const asked: Record<string, number> = {}
  const answer = async (request: IncomingMessage): Promise<Uint8Array> => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    const { digest, publicKey } = body === '' ? ({} as Record<string, string>) : JSON.parse(body)
    asked[request.url!] = (asked[request.url!] ?? 0) + 1
    if (request.url === '/publicKey') return pair.getPublicKey().subarray(1)
    if (request.url === '/sign') return sign(key, parseData(digest))
    return pair.computeSecret(Buffer.concat([Buffer.of(4), parseData(publicKey)]))
  }
  const server = createServer(async (request, response) =>
    response.end(JSON.stringify({ result: formatData(await answer(request)) })),
  )
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

interface Told {
  readonly asked: { readonly sign: number; readonly ecdh: number }
  readonly peers: readonly { readonly joined: readonly string[]; readonly left: readonly string[] }[]
  readonly rounds: readonly { readonly kind: string; readonly height: number; readonly round: number }[]
}

/** Refuses the peers in its options; with `waits` it never answers. */
function doormanOf(t: TestContext, onFailure: 'admit' | 'refuse'): string {
  return writePlugin(
    t,
    'doorman',
    `options: { refused: { type: 'list', default: [], help: 'Whom.' }, waits: { type: 'boolean', default: false, help: 'Whether.' } },
     connections: { onFailure: '${onFailure}', deadlineMs: 300, judge: async (peer, node) => {
       judged.push(peer)
       if (node.options.waits) await new Promise(() => undefined)
       return !node.options.refused.includes(peer.id)
     } },
     reload: () => { judged.length = 0 },
     methods: { judged: { summary: 'Whom it was asked about.', run: () => judged } }`,
    'const judged = []',
  )
}

interface Judged {
  readonly id: string
  readonly enode: string
  readonly ip: string
  readonly direction: string
}

test(
  'plugins hold validator keys, receive round and peer events, and decide which peers connect',
  TIMEOUT,
  async (t) => {
    const running: EmbeddedNode[] = []
    // Stops the nodes before the next hook removes their folders.
    t.after(() => Promise.all(running.map((node) => node.stop())))
    const [first, second] = makeValidators(t, 'qbft', 2, {}, PERIOD_MS)
    const remote = await serveSigner(t, keyOf(second!))
    const one = await startNode(running, first!, {
      plugins: vaultOf(t, keyOf(first!)),
      'security-module': 'vault',
    })
    const two = await startNode(running, second!, {
      plugins: REMOTE_SIGNER,
      'security-module': 'remote-signer',
      'plugin-remote-signer-url': remote.url,
    })
    const [oneId, twoId] = [await idOf(one), await idOf(two)]
    const told = () => ask<Told>(one, 'vault_told')

    await t.test('handshakes and votes are signed by the plugins: every block needs both', async () => {
      await connect(one, two)
      await until(async () => (await headOf(one)) >= 6 && (await headOf(two)) >= 6)
      const miners = new Set<string>()
      for (let number = 1; number <= 6; number++) {
        const [own, other] = await Promise.all(
          [one, two].map((node) =>
            ask<{ hash: string; miner: string }>(
              node,
              'eth_getBlockByNumber',
              `0x${number.toString(16)}`,
              false,
            ),
          ),
        )
        assert.equal(own!.hash, other!.hash)
        miners.add(own!.miner)
      }
      assert.deepEqual([...miners].sort(), [first!.validator, second!.validator].sort())
      const { asked } = await told()
      assert(asked.ecdh > 0 && asked.sign > 6, JSON.stringify(asked))
      assert(remote.asked['/ecdh']! > 0 && remote.asked['/sign']! > 6, JSON.stringify(remote.asked))
    })

    await t.test('round events cover start to commit, and peer events contain ids', async () => {
      const { rounds } = await told()
      const ofHeight = rounds.filter(({ height }) => height === 5)
      assert.deepEqual(
        new Set(ofHeight.map(({ kind }) => kind)),
        new Set(['roundStarted', 'proposalAccepted', 'prepared', 'committed']),
      )
      assert.equal(ofHeight[0]!.kind, 'roundStarted')
      assert(ofHeight.every((event) => Number.isInteger(event.round) && Object.keys(event).length === 3))
      await until(async () => (await told()).peers.length > 0)
      assert.deepEqual((await told()).peers[0], { joined: [twoId], left: [] })
    })

    await t.test('a rule refuses one peer in both directions, and not the other', async () => {
      const folder = temporaryDirectory(t)
      const configFile = join(folder, 'node.toml')
      const configure = (text: string) => writeFileSync(configFile, text)
      configure(`plugin-doorman-refused = ["${oneId}"]\n`)
      const guarded = await startNode(
        running,
        first!,
        { plugins: doormanOf(t, 'refuse'), 'config-file': configFile },
        join(folder, 'data'),
      )
      const judged = () => ask<readonly Judged[]>(guarded, 'doorman_judged')
      const wasAsked = async (id: string, direction: string) =>
        (await judged()).some((peer) => peer.id === id && peer.direction === direction)
      await connect(one, guarded)
      await until(() => wasAsked(oneId, 'inbound'))
      await connect(guarded, one)
      await until(() => wasAsked(oneId, 'outbound'))
      await connect(guarded, two)
      await until(async () => (await peersOf(guarded)).includes(twoId))
      assert.deepEqual(await peersOf(guarded), [twoId])
      assert.deepEqual(await peersOf(one), [twoId])
      const ofTwo = (await judged()).find(({ id }) => id === twoId)!
      assert.deepEqual([ofTwo.enode, ofTwo.ip], [await ask(two, 'net_enode'), '127.0.0.1'])

      configure('plugin-doorman-waits = true\n')
      await ask(guarded, 'plugins_reloadPluginConfig', 'doorman')
      await ask(guarded, 'admin_removePeer', await ask(two, 'net_enode'))
      await connect(guarded, two)
      await until(() => wasAsked(twoId, 'outbound'))
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      assert.deepEqual(
        await peersOf(guarded),
        [],
        'no peer connects while a rule with onFailure refuse hangs',
      )
    })

    await t.test(
      'if a rule with onFailure admit does not answer, peers connect and their leaving is reported',
      async () => {
        const open = await startNode(
          running,
          first!,
          { plugins: doormanOf(t, 'admit'), 'plugin-doorman-waits': true },
          join(temporaryDirectory(t), 'data'),
        )
        const openId = await idOf(open)
        await connect(open, one)
        await until(async () => (await peersOf(open)).includes(oneId))
        await until(async () => (await headOf(open)) > 6)
        await until(async () => (await told()).peers.some(({ joined }) => joined.includes(openId)))
        await ask(open, 'admin_removePeer', await ask(one, 'net_enode'))
        await until(async () => (await told()).peers.some(({ left }) => left.includes(openId)))
      },
    )
  },
)
