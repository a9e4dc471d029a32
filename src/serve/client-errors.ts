import type { Socket } from 'node:net'

/** Larger than Besu's 8 KiB: tokens that name many grants travel in a header. */
export const HEADERS_MAX_BYTES = 16 * 1024

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

/** What is not HTTP gets a status line and is closed; whoever left already gets nothing. */
export function answerClientError(error: ParserError, socket: Socket, isAnswering: boolean): void {
  // Behind an answer that is under way a second one would be read as part of it.
  if (isAnswering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  socket.end(`HTTP/1.1 ${statusLineFor(error)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  // Half a connection would stay open for as long as the client likes.
  socket.destroySoon()
}

function statusLineFor(error: ParserError): string {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isInRequestLine(error.rawPacket)
        ? '414 Request-URI Too Long'
        : '431 Request Header Fields Too Large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return '408 Request Timeout'
    case 'HPE_INVALID_VERSION':
      return '501 Not Implemented'
    default:
      return '400 Bad Request'
  }
}

/** The parser reports one overflow for both; a request line that never ends is the other one. */
function isInRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false
  const isStart = /^[A-Z]{1,20} /.test(packet.toString('latin1', 0, 24))
  return isStart && !packet.subarray(0, HEADERS_MAX_BYTES).includes('\r\n')
}
