/** Peers in their own network namespace: this process receives its end of the link. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import { parseEnode } from '#types/enode.ts'

const [enode, count, host] = process.argv.slice(2) as [string, string, string]
process.send!('ready')
await once(process, 'message')
for (const words of ['link set lo up', `addr add ${host}/24 dev theirs`, 'link set theirs up']) {
  execFileSync('ip', words.split(' '))
}
for (let at = 0; at < Number(count); at++) {
  const { running } = await startTestPeers({ host, advertisedIp: host, udpPort: null })
  running.network.maintain(parseEnode(enode))
}
