// no port is open
>> {"jsonrpc":"2.0","id":1,"method":"admin_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"P2P network is not running"}}
// options: --p2p-enabled
// with one
>> {"jsonrpc":"2.0","id":2,"method":"admin_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":{"enode":"enode://abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab@127.0.0.1:30303","listenAddr":"127.0.0.1:30303","activeFork":"Cancun","ip":"127.0.0.1","enr":"enr:-","name":"cairn/v0.1.0/linux-x86_64/node-v24","id":"abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab","ports":{"discovery":30303,"listener":30303},"protocols":{"eth":{"config":{"chainId":1337,"berlinBlock":0,"londonBlock":0,"shanghaiTime":0,"cancunTime":0,"qbft":{"epochLength":30000,"blockPeriodSeconds":2,"requestTimeoutSeconds":4}},"difficulty":6,"genesis":"0x645594c0dd86ce44a4b49f92c78fea2f5d7a5970f704d5fd9cf150ae55f5cd44","head":"0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53","network":1337}}}}
// options: --without-p2p
// without peer-to-peer
>> {"jsonrpc":"2.0","id":3,"method":"admin_nodeInfo","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"P2P has been disabled. This functionality is not available"}}
