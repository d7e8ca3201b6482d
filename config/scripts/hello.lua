-- GET /api/v1/custom/hello?name=alice
function hook(request)
  return { hello = request.query.name or "world", session = request.session }
end
