import { STEPS } from './windows.ts';

/** Additional time that Redis keeps a window, because the platform's clock may be behind the clock of Redis. */
const SLACK_MS = 60_000;

/**
 * Lua script that processes the charge of one request atomically.
 *
 * Keys: the windows, the suspension and the slots, in this order. The last two are always passed but may be unused.
 *
 * Arguments:
 * - general: the platform's time, and the duration of a suspension (0: never suspend)
 * - slot: limit (-1: no slot requested), process, rank, whether it waits (1, 0), duration of a lease, lifetime of a place in the queue
 * - for each window: amount, limit (-1: none), length, and three flags (1, 0): is sliding, is hard, counts rejected requests
 *
 * Returns the index of the exceeded window (-1: none), the end of the suspension (0: none), whether a slot was taken, the number of slots
 * in use, and the used amount and end of each window.
 *
 * Windows and suspensions end by the platform's clock, as in windows.ts. Leases end by the clock of Redis, which all processes share.
 *
 * Stored values:
 * - A fixed window is a hash of its used amount and its end.
 * - A sliding window is a text of steps `first:last:amount`, separated by commas.
 * - The slots are a hash with four fields per process: its number of slots (h:), the end of its lease (u:), the rank of its first waiting
 *   request (w:), and the expiry of that request's place in the queue (x:).
 */
export const CHARGE = `
local now, forMs, limit, process, rank, waits = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6] == '1'
local count = #KEYS - 2
local suspension, slots = KEYS[count + 1], KEYS[count + 2]
local windows, pays = {}, false
local function whole(number) return string.format('%.0f', number) end

local function append(steps, first, last, amount, length)
  local newest = steps[#steps]
  if newest and first - newest.first < length / ${STEPS} then newest.last, newest.amount = last, newest.amount + amount
  else steps[#steps + 1] = { first = first, last = last, amount = amount } end
end

local function readSliding(window)
  window.steps, window.used = {}, 0
  for first, last, amount in string.gmatch(redis.call('GET', window.key) or '', '(%d+):(%d+):(%d+)') do
    first, last, amount = tonumber(first), tonumber(last), tonumber(amount)
    if last > now or last + window.length <= now then window.moved = true end
    if last + window.length > now then
      append(window.steps, math.min(first, now), math.min(last, now), amount, window.length)
      window.used = window.used + amount
    end
  end
end

local function readFixed(window)
  local held = redis.call('HMGET', window.key, 'used', 'reset')
  window.used, window.reset = tonumber(held[1] or 0), tonumber(held[2] or 0)
  if window.reset > now + window.length then window.reset, window.moved = now + window.length, true end
  if window.reset <= now then window.used, window.reset, window.over = 0, now + window.length, held[2] end
end

local function write(window)
  if window.slides then
    local texts = {}
    for i, step in ipairs(window.steps) do texts[i] = whole(step.first) .. ':' .. whole(step.last) .. ':' .. whole(step.amount) end
    if #texts == 0 then redis.call('DEL', window.key) else redis.call('SET', window.key, table.concat(texts, ','), 'PX', whole(window.length + ${SLACK_MS})) end
  else
    redis.call('HSET', window.key, 'used', whole(window.used), 'reset', whole(window.reset))
    redis.call('PEXPIRE', window.key, whole(window.reset - now + ${SLACK_MS}))
  end
end

local function add(window)
  if window.amount == 0 or window.used + window.amount < 0 then return end
  window.used, window.moved = window.used + window.amount, true
  if not window.slides then
    if window.used == 0 then window.reset, window.moved, window.over = now + window.length, false, true end
    return
  end
  if window.amount > 0 then return append(window.steps, now, now, window.amount, window.length) end
  local left = -window.amount
  while left > 0 and #window.steps > 0 do
    local newest = window.steps[#window.steps]
    local part = math.min(left, newest.amount)
    newest.amount, left = newest.amount - part, left - part
    if newest.amount == 0 then window.steps[#window.steps] = nil end
  end
end

local function freeAt(window, amount)
  if not window.slides then return window.reset end
  local used, last = window.used, now
  for _, step in ipairs(window.steps) do
    used, last = used - step.amount, step.last
    if window.most < 0 or used + amount <= window.most then break end
  end
  return last + window.length
end

local refused = -1
for i = 1, count do
  local at = 9 + 6 * (i - 1)
  local window = { key = KEYS[i], amount = tonumber(ARGV[at]), most = tonumber(ARGV[at + 1]), length = tonumber(ARGV[at + 2]),
    slides = ARGV[at + 3] == '1', hard = ARGV[at + 4] == '1', counts = ARGV[at + 5] == '1' }
  if window.slides then readSliding(window) else readFixed(window) end
  if window.amount > 0 then pays = true end
  window.full = window.amount > 0 and window.most >= 0 and window.used + window.amount > window.most
  if window.full and (refused < 0 or (window.hard and not windows[refused + 1].hard)) then refused = i - 1 end
  windows[i] = window
end

local until_ = 0
if forMs > 0 then until_ = tonumber(redis.call('GET', suspension) or 0) end
if until_ > 0 and until_ <= now then
  until_ = 0
  redis.call('DEL', suspension)
end
local suspended = until_ > 0 and pays
if suspended then refused = -1 end
if until_ > now + forMs or (refused >= 0 and forMs > 0 and windows[refused + 1].hard) then
  until_ = now + forMs
  redis.call('SET', suspension, whole(until_), 'PX', forMs)
end

local counts = {}
for i, window in ipairs(windows) do
  if refused >= 0 then counts[i] = { window.used, freeAt(window, refused == i - 1 and window.amount or 0) } end
  if not suspended and (refused < 0 or (window.counts and not window.full)) then add(window) end
  if window.moved then write(window) elseif window.over then redis.call('DEL', window.key) end
  counts[i] = counts[i] or { window.used, freeAt(window, 0) }
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
for _, of in ipairs(counts) do
  answer[#answer + 1] = of[1]
  answer[#answer + 1] = of[2]
end
return answer`;

/** Lua script that releases a slot. Key: the slots of the organization. Argument: the process. */
export const RELEASE = `
if redis.call('HINCRBY', KEYS[1], 'h:' .. ARGV[1], -1) <= 0 then redis.call('HDEL', KEYS[1], 'h:' .. ARGV[1], 'u:' .. ARGV[1]) end`;

/**
 * Lua script that renews the lease of a process. Key: the slots of the organization.
 * Arguments: the process, the duration of a lease, and the number of slots that the process holds (-1: keep the stored
 * number).
 */
export const RENEW = `
local time = redis.call('TIME')
if tonumber(ARGV[3]) >= 0 then redis.call('HSET', KEYS[1], 'h:' .. ARGV[1], ARGV[3]) end
redis.call('HSET', KEYS[1], 'u:' .. ARGV[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[2])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
