// as --min-gas-price says
>> {"jsonrpc":"2.0","id":1,"method":"miner_getMinGasPrice","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x3e8"}
// as it was set last
>> {"jsonrpc":"2.0","id":2,"method":"miner_setMinGasPrice","params":["0x0"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"miner_getMinGasPrice","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
