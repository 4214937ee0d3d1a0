/**
 * One request, in one step. KEYS: the windows, then the suspension, then the slots; the last two are always named and may be
 * unused. ARGV: the platform's time, how long to suspend (0: never), then of the slot its limit (-1: none is asked for), the
 * process, rank, whether it waits (1, 0), length of a lease and how long a place in the queue is kept; then amount, limit (-1:
 * none), length and hardness (1, 0) of each window.
 * Answers the refused index (-1: none), the end of the suspension (0: none), whether a slot was taken, the slots in use, and
 * count and end of each window.
 * Windows and suspensions end by the platform's clock; leases by that of Redis, which is the same for all processes. The hash
 * of the slots has for each process what it holds (h:), until when (u:), the rank of its first waiter (w:) and until when that
 * one counts (x:).
 */
export const CHARGE = `
local now, forMs, limit, process, rank, waits = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6] == '1'
local count = #KEYS - 2
local suspension, slots = KEYS[count + 1], KEYS[count + 2]
local refused, pays, windows = -1, false, {}
for i = 1, count do
  local at = 9 + 4 * (i - 1)
  local amount, most, length = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local held = redis.call('HMGET', KEYS[i], 'used', 'reset')
  local used, reset = tonumber(held[1] or 0), tonumber(held[2] or 0)
  if reset <= now then used, reset = 0, now + length end
  if amount > 0 then pays = true end
  if refused < 0 and amount > 0 and most >= 0 and used + amount > most then refused = i - 1 end
  windows[i] = { used = used, reset = reset, amount = amount, hard = ARGV[at + 3] == '1' }
end

local until_ = 0
if forMs > 0 then until_ = tonumber(redis.call('GET', suspension) or 0) end
if until_ <= now then until_ = 0 end
local suspended = until_ > 0 and pays
if suspended then refused = -1 end
if refused >= 0 and forMs > 0 and windows[refused + 1].hard then
  until_ = now + forMs
  redis.call('SET', suspension, string.format('%.0f', until_), 'PX', forMs)
end

if refused < 0 and not suspended then
  for i, window in ipairs(windows) do
    if window.amount ~= 0 and window.used + window.amount >= 0 then
      window.used = window.used + window.amount
      redis.call('HSET', KEYS[i], 'used', string.format('%.0f', window.used), 'reset', string.format('%.0f', window.reset))
      redis.call('PEXPIRE', KEYS[i], string.format('%.0f', window.reset - now))
    end
  end
end

local taken, held = 0, 0
if limit >= 0 then
  local time = redis.call('TIME')
  local clock, of, ahead = time[1] * 1000 + math.floor(time[2] / 1000), { h = {}, u = {}, w = {}, x = {} }, 0
  local fields = redis.call('HGETALL', slots)
  for i = 1, #fields, 2 do of[string.sub(fields[i], 1, 1)][string.sub(fields[i], 3)] = tonumber(fields[i + 1]) end
  for owner, number in pairs(of.h) do
    if (of.u[owner] or 0) > clock then held = held + number else redis.call('HDEL', slots, 'h:' .. owner, 'u:' .. owner) end
  end
  for owner, theirs in pairs(of.w) do
    if (of.x[owner] or 0) <= clock then redis.call('HDEL', slots, 'w:' .. owner, 'x:' .. owner)
    elseif theirs < rank and not (waits and owner == process) then ahead = ahead + 1 end
  end
  if refused < 0 and not suspended and limit - held > ahead then
    taken, held = 1, held + 1
    redis.call('HINCRBY', slots, 'h:' .. process, 1)
    redis.call('HSET', slots, 'u:' .. process, string.format('%.0f', clock + tonumber(ARGV[7])))
    if waits then redis.call('HDEL', slots, 'w:' .. process, 'x:' .. process) end
    redis.call('PEXPIRE', slots, ARGV[7])
  elseif waits then
    redis.call('HSET', slots, 'w:' .. process, ARGV[5], 'x:' .. process, string.format('%.0f', clock + tonumber(ARGV[8])))
    redis.call('PEXPIRE', slots, ARGV[7])
  end
end

local answer = { refused, until_, taken, held }
for _, window in ipairs(windows) do
  answer[#answer + 1] = window.used
  answer[#answer + 1] = window.reset
end
return answer`;

/** KEYS: the slots. ARGV: the process. */
export const RELEASE = `
if redis.call('HINCRBY', KEYS[1], 'h:' .. ARGV[1], -1) <= 0 then redis.call('HDEL', KEYS[1], 'h:' .. ARGV[1], 'u:' .. ARGV[1]) end`;

/** KEYS: the slots. ARGV: the process, the length of a lease, and how many slots it holds (-1: as many as stand there). */
export const RENEW = `
local time = redis.call('TIME')
if tonumber(ARGV[3]) >= 0 then redis.call('HSET', KEYS[1], 'h:' .. ARGV[1], ARGV[3]) end
redis.call('HSET', KEYS[1], 'u:' .. ARGV[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
