/* The validators that the peers thread must know, also if it ends. */
import { once } from 'node:events'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { NodePeers } from '#p2p/node-peers.ts'
import { testPeers, testProtocol, until } from '#p2p/peers/peers.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { addressFromPublicKey, KEY_RANDOM_BYTES, privateKeyFromRandom, sign } from '#types/curve.ts'
import { settingsOf } from './settings.fixture.ts'

test('the successor of a peers thread knows validators that were passed while the thread ended', {
  timeout: 30_000,
}, async (t) => {
  const starting: Promise<Worker[]> = once(process, 'worker')
  const settings = settingsOf('--max-peers=0', '--p2p-port=0', '--discovery-enabled=false')
  const peers = new NodePeers(settings, undefined, createLog({ level: 'OFF' }))
  const privateKey = new Secret(privateKeyFromRandom('secp256k1', systemRandom.randomBytes(KEY_RANDOM_BYTES)))
  const carried = testProtocol()
  const needs = {
    threads: silentThreads(),
    clientVersion: 'test',
    modules: [],
    protocols: [carried],
    mayConnect: undefined,
    nodeKey: async () => ({ holder: createLocalNodeKey(privateKey, sign), privateKey }),
  }
  const { signal } = t
  await peers.start(needs, { signal, onStop: (stop) => t.after(() => stop(signal)) })
  const self = await peers.live.self()
  const validator = await testPeers([testProtocol()])
  t.after(() => validator.network.stop())

  const [worker] = await starting
  void worker!.terminate()
  peers.expect([addressFromPublicKey(validator.node.publicKey)])
  await until(() => !peers.live.isListening())
  await until(() => peers.live.isListening() === true)
  validator.network.maintain(self!.enode)
  await until(() => carried.links.length === 1)
})
