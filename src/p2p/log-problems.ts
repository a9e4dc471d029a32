import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const P2P_PROBLEMS = {
  permissionsNotUpdated: {
    level: 'WARN',
    message: 'Failed to update peer permissions',
    cause: 'The peers thread was busy or ended; its successor receives the list.',
    remedy: 'If peers that are not permitted stay connected, restart the node.',
  },
  nodeNotPassed: {
    level: 'WARN',
    message: 'Failed to pass a node to the peers thread',
    cause: 'The peers thread was busy or ended; its successor receives all maintained nodes.',
    remedy: 'Nothing. If the peer stays away, call `admin_addPeer` again.',
  },
  natUnsupported: {
    level: 'WARN',
    message: 'NAT method is not supported; continuing without',
    cause: '`--nat-method` names a method that Cairn does not implement.',
    remedy: 'Forward the port by hand, set `--p2p-host` to the outer address, and use `--nat-method=NONE`.',
  },
  permissionUnknown: {
    level: 'WARN',
    message: 'Peer permission check failed; peer refused',
    cause: 'The allowlist or the permission plugin did not answer in time, or threw.',
    remedy: 'Check the plugin that decides about peers; `err` names it.',
  },
  connectionNotAccepted: {
    level: 'WARN',
    message: 'Failed to accept a peer connection',
    cause: 'The system refused a new socket, usually because the limit of open files is reached.',
    remedy: 'Raise the limit of open files (`LimitNOFILE`, `ulimit -n`).',
  },
  messageFailed: {
    level: 'ERROR',
    message: 'Failed to handle a peer message',
    cause: 'A protocol handler threw; the peer was disconnected.',
    remedy: REPORT_BUG,
  },
  messageLost: {
    level: 'WARN',
    message: 'Failed to pass a request to the peers thread',
    cause: 'The peers thread was busy or ended; `request` says what was lost.',
    remedy: 'Nothing, if it is rare: peers connect again, and consensus repeats its messages.',
  },
  discoveryFailed: {
    level: 'ERROR',
    message: 'Discovery failed',
    cause: 'A lookup, a packet or a node record could not be processed.',
    remedy: REPORT_BUG,
  },
  nodeListFailed: {
    level: 'WARN',
    message: 'Failed to read the node list in DNS',
    cause:
      'DNS did not answer, or the list in `--discovery-dns-url` is not signed by the key in the URL; `err` says which.',
    remedy: 'Check DNS and the URL. The node repeats the attempt every 5 minutes while it knows few nodes.',
  },
  signerExposed: {
    level: 'WARN',
    message: 'Signer is reached without TLS over a network',
    cause: 'Anyone on the path between the node and its signer can read and change requests.',
    remedy: 'Give the signer a certificate and use `https`, or run it on the machine of the node.',
  },
  signerAwaited: {
    level: 'WARN',
    message: 'Signer is unreachable; waiting for it',
    cause: 'The signer in `--node-signer-url` does not answer yet. The node gives up after `waitSeconds`.',
    remedy: 'Start the signer, or correct the URL.',
  },
  signerFailed: {
    level: 'WARN',
    message: 'Signer is unusable; the node cannot sign',
    cause: 'The signer stopped answering or holds another key; `reason` says which.',
    remedy: 'Start the signer again with the key it had. The node continues by itself.',
  },
} as const satisfies Record<string, LogProblem>
