// options: --rpc-http-api=ETH,NET,TXPOOL,WEB3
// the APIs of the transport, whether or not their methods exist yet
>> {"jsonrpc":"2.0","id":1,"method":"rpc_modules","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"eth":"1.0","net":"1.0","txpool":"1.0","web3":"1.0"}}
// options: --rpc-http-api=NET
// rpc_modules is there even though RPC is not named
>> {"jsonrpc":"2.0","id":2,"method":"rpc_modules"}
<< {"jsonrpc":"2.0","id":2,"result":{"net":"1.0"}}
