/** The other side of `npm run bench -- p2p`: counts messages and returns those with code 1. Either ours or `library`. */
import { formatEnode } from '#types/enode.ts'
import { startLibraryBenchPeer } from './p2p-library.ts'
import { startBenchPeer } from './p2p-node.ts'

let received = 0
const { enode } =
  process.argv[2] === 'library'
    ? await startLibraryBenchPeer((link, code, data) => {
        received += 1
        if (code === 1) link.send(1, data)
      })
    : await startBenchPeer((link, code, data) => {
        received += 1
        if (code === 1) link.send(1, data, 'urgent')
      })
process.send!({ enode: formatEnode(enode) })
process.on('message', (question) => {
  if (question === 'stop') process.exit(0)
  else process.send!({ received, cpuMs: cpuMs() })
})

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
