(function(){})()
