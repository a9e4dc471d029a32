import { untilAllEnd } from '../recorded/in-parallel.ts'
import { playCredentials, playPublicKey } from '../recorded/play-auth.ts'
import { optionsOfAk, optionsOfAu, optionsOfAu2, optionsOfPublicKey } from '../recorded/recorded-nodes.ts'
import type { Suite } from '../suite.ts'

/** Logins, tokens and permissions over HTTP and WebSocket. */
const suite: Suite = {
  name: 'recorded/auth',
  async *run(pack) {
    const outcomes = await untilAllEnd([
      playCredentials(pack, 'auth-credentials.json', (file) => optionsOfAu(pack, file)),
      playCredentials(pack, 'auth-credentials-noauth-methods.json', (file) => optionsOfAu2(pack, file)),
      playPublicKey(pack, 'auth-public-key-rs256.json', 'rsa', optionsOfPublicKey(pack, 'rsa', 'RS256')),
      playPublicKey(pack, 'auth-public-key-es256.json', 'ec', optionsOfPublicKey(pack, 'ec', 'ES256')),
      playPublicKey(pack, 'auth-public-key-es256-secp256k1.json', 'k1', optionsOfAk(pack)),
    ])
    yield* outcomes.flat()
  },
}

export default suite
