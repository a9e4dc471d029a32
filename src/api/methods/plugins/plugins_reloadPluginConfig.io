// options: --plugins=willing
// all of them
>> {"jsonrpc":"2.0","id":1,"method":"plugins_reloadPluginConfig","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
// one by its name
>> {"jsonrpc":"2.0","id":2,"method":"plugins_reloadPluginConfig","params":["gamma"]}
<< {"jsonrpc":"2.0","id":2,"result":"Success"}
// null is no name
>> {"jsonrpc":"2.0","id":3,"method":"plugins_reloadPluginConfig","params":[null]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
// no such plugin
>> {"jsonrpc":"2.0","id":4,"method":"plugins_reloadPluginConfig","params":["delta"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-60000,"message":"Plugin not found"}}
// a number is a name that no plugin has
>> {"jsonrpc":"2.0","id":5,"method":"plugins_reloadPluginConfig","params":[7]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-60000,"message":"Plugin not found"}}
// neither text nor number
>> {"jsonrpc":"2.0","id":6,"method":"plugins_reloadPluginConfig","params":[{"name":"alpha"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid plug in name params"}}
>> {"jsonrpc":"2.0","id":7,"method":"plugins_reloadPluginConfig","params":[["alpha"]]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid plug in name params"}}
// options: --plugins=mixed
// one fails: the others are reloaded all the same
>> {"jsonrpc":"2.0","id":8,"method":"plugins_reloadPluginConfig","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"alpha:success,beta:failure (the list of accounts is empty),gamma:success"}}
>> {"jsonrpc":"2.0","id":9,"method":"plugins_reloadPluginConfig","params":["beta"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"beta:failure (the list of accounts is empty)"}}
>> {"jsonrpc":"2.0","id":10,"method":"plugins_reloadPluginConfig","params":["alpha"]}
<< {"jsonrpc":"2.0","id":10,"result":"Success"}
// options: --plugins=slow
// it takes longer than it says that it may
>> {"jsonrpc":"2.0","id":11,"method":"plugins_reloadPluginConfig","params":[]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32000,"message":"slow:failure (it took longer than 200 ms and is started again with the options in force before)"}}
// options: --rpc-http-api=ADMIN
// ADMIN brings it too, and without plugins there is nothing to do
>> {"jsonrpc":"2.0","id":12,"method":"plugins_reloadPluginConfig","params":[]}
<< {"jsonrpc":"2.0","id":12,"result":"Success"}
>> {"jsonrpc":"2.0","id":13,"method":"plugins_reloadPluginConfig","params":["alpha"]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-60000,"message":"Plugin not found"}}
// options: --rpc-http-api=ETH
>> {"jsonrpc":"2.0","id":14,"method":"plugins_reloadPluginConfig","params":[]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32604,"message":"Method not enabled"}}
