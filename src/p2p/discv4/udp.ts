import { createSocket } from 'node:dgram'
import { canonicalIp } from '#p2p/ip-bytes.ts'
import { listenFault } from '#platform/listen-fault.ts'
import { parseIpv4 } from '#types/ip.ts'

/** Sends discovery packets. */
export interface DatagramPort {
  /** Never waits and never fails: a packet may be lost anywhere. */
  send(bytes: Uint8Array, ip: string, udpPort: number): void
  close(): Promise<void>
  readonly udpPort: number
}

export type OnDatagram = (bytes: Uint8Array, ip: string, udpPort: number) => void

const LISTEN_OPTIONS = { hostOption: '--p2p-interface', portOption: '--p2p-discovery-port' }

/** Rejects if the port is taken. An IPv6 host also receives IPv4 packets if the system allows it. */
export async function openUdp(host: string, udpPort: number, onDatagram: OnDatagram): Promise<DatagramPort> {
  const isIpv4 = parseIpv4(host) !== null
  const socket = createSocket(isIpv4 ? 'udp4' : 'udp6')
  const { promise: bound, resolve, reject } = Promise.withResolvers<void>()
  const onRefused = (error: Error): void =>
    reject(listenFault({ ...LISTEN_OPTIONS, host, port: udpPort }, error))
  socket.once('error', onRefused)
  socket.bind(udpPort, host, resolve)
  await bound
  socket.off('error', onRefused)
  // An unreachable address raises a socket error; the next packet may go elsewhere.
  socket.on('error', () => {})
  socket.on('message', (bytes, { address, port }) => onDatagram(bytes, canonicalIp(address), port))
  return {
    send(bytes, ip, port) {
      const isMapped = !isIpv4 && parseIpv4(ip) !== null
      if (isIpv4 && parseIpv4(ip) === null) return
      socket.send(bytes, port, isMapped ? `::ffff:${ip}` : ip, () => {})
    },
    close: () => new Promise((done) => socket.close(() => done())),
    udpPort: socket.address().port,
  }
}
