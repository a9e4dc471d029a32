// product, version, platform, runtime
>> {"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"cairn/v0.1.0/linux-x86_64/node-v24"}
// parameters it does not know are ignored
>> {"jsonrpc":"2.0","id":2,"method":"web3_clientVersion","params":[1,2,3]}
<< {"jsonrpc":"2.0","id":2,"result":"cairn/v0.1.0/linux-x86_64/node-v24"}
// options: --identity=recorder
// the identity stands behind the product
>> {"jsonrpc":"2.0","id":3,"method":"web3_clientVersion","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"cairn/recorder/v0.1.0/linux-x86_64/node-v24"}
// options: --rpc-http-api=NET
// known, but its API is not enabled
>> {"jsonrpc":"2.0","id":4,"method":"web3_clientVersion","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32604,"message":"Method not enabled"}}
